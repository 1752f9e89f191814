/** Pixels of a node of a drawing. */
export const NODE = { width: 168, height: 52 };
