import type { Value } from '../value.js';

/** What a function gives where Terraform would fail for certain: `try` goes on from it, and `can` is false. */
export const FAILS = Symbol('fails');

/** A function of Terraform. It gives undefined where it cannot say. */
export type TerraformFunction = (args: readonly Value[]) => Value | undefined | typeof FAILS;

/**
 * Functions by name. `whole` ones need arguments that are known all through, `shallow` ones work with lists and maps whose elements are not known.
 */
export interface FunctionTable {
  whole: Readonly<Record<string, TerraformFunction>>;
  shallow: Readonly<Record<string, TerraformFunction>>;
}
