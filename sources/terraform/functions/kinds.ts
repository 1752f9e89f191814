import type { Value } from '../value.js';

/** A function of Terraform. It gives undefined where it cannot say, or the arguments are none of its own. */
export type TerraformFunction = (args: readonly Value[]) => Value | undefined;

/**
 * Functions by name. `whole` ones need arguments that are known all through, `shallow` ones work with lists and maps whose elements are not known.
 */
export interface FunctionTable {
  whole: Readonly<Record<string, TerraformFunction>>;
  shallow: Readonly<Record<string, TerraformFunction>>;
}
