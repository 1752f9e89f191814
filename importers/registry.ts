import { format as alicloudActionTrail } from './formats/alicloud-actiontrail/format.js';
import { format as asff } from './formats/asff/format.js';
import { format as awsAnswers } from './formats/aws-answers/format.js';
import { format as awsConfig } from './formats/aws-config/format.js';
import { format as awsCredentialReport } from './formats/aws-credential-report/format.js';
import { format as awsLastAccessed } from './formats/aws-last-accessed/format.js';
import { format as azureAudit } from './formats/azure-audit/format.js';
import { format as azureResources } from './formats/azure-resources/format.js';
import { format as cloudApiResponses } from './formats/cloud-api-responses/format.js';
import { format as cloudtrail } from './formats/cloudtrail/format.js';
import { format as gcpAudit } from './formats/gcp-audit/format.js';
import { format as grype } from './formats/grype/format.js';
import { format as kubernetes } from './formats/kubernetes/format.js';
import { format as kubernetesAudit } from './formats/kubernetes-audit/format.js';
import { format as ociAudit } from './formats/oci-audit/format.js';
import { format as ocsf } from './formats/ocsf/format.js';
import { format as sarif } from './formats/sarif/format.js';
import { format as terraformPlan } from './formats/terraform-plan/format.js';
import { format as terraformState } from './formats/terraform-state/format.js';
import { format as tfstate } from './formats/tfstate/format.js';
import { format as trivy } from './formats/trivy/format.js';
import type { ReportFormat } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly ReportFormat[] = [
  ocsf,
  asff,
  sarif,
  trivy,
  grype,
  terraformPlan,
  terraformState,
  tfstate,
  kubernetes,
  awsConfig,
  awsAnswers,
  awsCredentialReport,
  azureResources,
  cloudApiResponses,
  cloudtrail,
  gcpAudit,
  azureAudit,
  kubernetesAudit,
  ociAudit,
  alicloudActionTrail,
  awsLastAccessed,
];
