/** Numbers that the format fixes. */

export const FORMAT = "comgra-bundle";
export const VERSION = 1;

/** Raw bytes of a chunk of a lane, save the lane's last one. */
export const CHUNK_BYTES = 4 * 1024 * 1024;
/** Raw bytes of a chunk of a lane of histograms, save the lane's last one. */
export const HISTOGRAM_CHUNK_BYTES = 512 * 1024;
/** Raw bytes of a chunk of the lane of a gradient flow, save the lane's last one. */
export const FLOW_CHUNK_BYTES = 256 * 1024;

/** Bytes per element of the four lanes. */
export const LANE_WIDTHS = [8, 4, 2, 1] as const;
export type LaneWidth = (typeof LANE_WIDTHS)[number];

/** The highest severity: almost certainly a bug. */
export const WORST = 3;

/** Stands for a position where there is nothing. */
export const NONE = -1;

/** No chunk of text is larger than this; a larger length is an attempt to exhaust memory. */
export const LARGEST_CHUNK = 512 * 1024 * 1024;

/** More elements than this, or more samples, do not fit into the integers that name them. */
export const MOST_ELEMENTS = 2 ** 31 - 1;
