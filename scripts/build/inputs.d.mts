/** The files of the product, as paths from `root`. */
export function listInputs(root: string): { modules: string[]; data: string[]; pages: string[]; all: string[] };
export function stampOf(root: string, files: readonly string[]): string;
export function digestOf(root: string, files: readonly string[]): string;
