/** What the folder of pages that are made of `sources` is called. */
export function nameOf(root: string, sources: readonly string[]): string;
/** Copies what was built before, if it was made of what stands there now. */
export function takeOver(root: string, built: string, target: string): boolean;
