import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Components are exercised in a real browser, by tests/browser/ of the repository: they count as uncovered here.
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text", "json-summary"] },
  },
});
