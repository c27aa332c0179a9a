/** Reads a `.npy` file that may be hostile: an array of plain numbers, or an error in words. */

import { ForeignDataError, RefusedError } from "./errors";
import { isPlain, type NumpyArray, plainArray } from "./numpy_array";
import { latin1 } from "./pickle_globals";

const MAGIC = "\x93NUMPY";
const MOST_HEADER = 10_000;
/** The header is a Python dict, whose keys numpy writes in this order. */
const HEADER = /^\{'descr': '([<>|=])([a-zA-Z]\d+)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), *\}\s*$/;

/** Throws `ForeignDataError`. `file` is how messages name it. */
export function readNpy(data: Uint8Array<ArrayBuffer>, file: string): NumpyArray {
  const refuse = (reason: string): never => {
    throw new ForeignDataError(`${file} is not read: ${reason}.`);
  };
  if (latin1(data.subarray(0, MAGIC.length)) !== MAGIC || data.length < 12) {
    refuse("it does not begin as numpy.save writes it");
  }
  const [version, view] = [data[6]!, new DataView(data.buffer, data.byteOffset)];
  if (version !== 1 && version !== 2) {
    refuse(`it is of version ${version}, which is not one for arrays of numbers`);
  }
  const begins = version === 1 ? 10 : 12;
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = HEADER.exec(length > MOST_HEADER ? "" : latin1(data.subarray(begins, begins + length)));
  if (header === null) {
    return refuse("it does not hold an array of plain numbers, as numpy.save writes one");
  }
  const [, order, code, fortran, sizes] = header as unknown as [string, string, string, string, string];
  if (!isPlain(code)) {
    refuse(`it holds ${code}; only booleans, integers and floats of at most 8 bytes are read`);
  }
  try {
    return plainArray(
      data.subarray(begins + length),
      code,
      order !== ">",
      sizes
        .split(",")
        .filter((size) => size.trim() !== "")
        .map(Number),
      fortran === "True",
    );
  } catch (error) {
    return refuse(error instanceof RefusedError ? `${error.message}; it may have been cut off` : String(error));
  }
}
