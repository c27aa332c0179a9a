import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Files share their modules, so that each is loaded once. No test may leave something behind in them.
    isolate: false,
    // Components run in a real browser, in tests/browser/ of the repository: `make coverage` adds what is run there.
    coverage: { provider: "v8", include: ["src/**"], exclude: ["src/styles/**"], reporter: ["text", "json"] },
  },
});
