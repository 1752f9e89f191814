import { asff } from './formats/asff/format.js';
import { grype } from './formats/grype/format.js';
import { kubernetes } from './formats/kubernetes/format.js';
import { ocsf } from './formats/ocsf/format.js';
import { sarif } from './formats/sarif/format.js';
import { terraformPlan } from './formats/terraform-plan/format.js';
import { terraformState } from './formats/terraform-state/format.js';
import { tfstate } from './formats/tfstate/format.js';
import { trivy } from './formats/trivy/format.js';
import type { Importer } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly Importer[] = [ocsf, asff, sarif, trivy, grype, terraformPlan, terraformState, tfstate, kubernetes];
