/** Bytes that an operation takes, with its document and its plan or its compiled form: measured, and by the text alone because nothing tells them. */
export const operationBytes = (text: string): number => 10_000 + 60 * text.length;
