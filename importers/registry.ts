import { asff } from './asff.js';
import { grype } from './grype.js';
import { kubernetes } from './kubernetes.js';
import { ocsf } from './ocsf.js';
import { sarif } from './sarif.js';
import { terraformPlan } from './terraform-plan.js';
import { terraformState } from './terraform-state.js';
import { tfstate } from './tfstate.js';
import { trivy } from './trivy.js';
import type { Importer } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly Importer[] = [ocsf, asff, sarif, trivy, grype, terraformPlan, terraformState, tfstate, kubernetes];
