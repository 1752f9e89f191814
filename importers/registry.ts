import { format as alicloudActionTrail } from './formats/alicloud-actiontrail/format.js';
import { format as asff } from './formats/asff/format.js';
import { format as awsAnswers } from './formats/aws-answers/format.js';
import { format as awsConfig } from './formats/aws-config/format.js';
import { format as awsCredentialReport } from './formats/aws-credential-report/format.js';
import { format as awsLastAccessed } from './formats/aws-last-accessed/format.js';
import { format as azureAudit } from './formats/azure-audit/format.js';
import { format as azureResources } from './formats/azure-resources/format.js';
import { format as bandit } from './formats/bandit/format.js';
import { format as burp } from './formats/burp/format.js';
import { format as checkov } from './formats/checkov/format.js';
import { format as cloudApiResponses } from './formats/cloud-api-responses/format.js';
import { format as cloudCustodian } from './formats/cloud-custodian/format.js';
import { format as cloudtrail } from './formats/cloudtrail/format.js';
import { format as crunch42 } from './formats/crunch42/format.js';
import { format as cyclonedx } from './formats/cyclonedx/format.js';
import { format as dbprotect } from './formats/dbprotect/format.js';
import { format as deepfence } from './formats/deepfence/format.js';
import { format as defenderForCloud } from './formats/defender-for-cloud/format.js';
import { format as dependencyCheck } from './formats/dependency-check/format.js';
import { format as dependencyTrack } from './formats/dependency-track/format.js';
import { format as detectSecrets } from './formats/detect-secrets/format.js';
import { format as dockerBench } from './formats/docker-bench/format.js';
import { format as entraDirectory } from './formats/entra-directory/format.js';
import { format as eslint } from './formats/eslint/format.js';
import { format as falco } from './formats/falco/format.js';
import { format as garak } from './formats/garak/format.js';
import { format as gcpAssets } from './formats/gcp-assets/format.js';
import { format as gcpAudit } from './formats/gcp-audit/format.js';
import { format as gitlab } from './formats/gitlab/format.js';
import { format as gitlabDynamic } from './formats/gitlab-dynamic/format.js';
import { format as gitleaks } from './formats/gitleaks/format.js';
import { format as googleArtifactAnalysis } from './formats/google-artifact-analysis/format.js';
import { format as gosec } from './formats/gosec/format.js';
import { format as grype } from './formats/grype/format.js';
import { format as guardduty } from './formats/guardduty/format.js';
import { format as hostPackages } from './formats/host-packages/format.js';
import { format as indicatorsCsv } from './formats/indicators-csv/format.js';
import { format as inspector2 } from './formats/inspector2/format.js';
import { format as kics } from './formats/kics/format.js';
import { format as kubeBench } from './formats/kube-bench/format.js';
import { format as kubeaudit } from './formats/kubeaudit/format.js';
import { format as kubernetes } from './formats/kubernetes/format.js';
import { format as kubernetesAudit } from './formats/kubernetes-audit/format.js';
import { format as kubescape } from './formats/kubescape/format.js';
import { format as lynis } from './formats/lynis/format.js';
import { format as msDefender } from './formats/ms-defender/format.js';
import { format as nessus } from './formats/nessus/format.js';
import { format as neuVector } from './formats/neuvector/format.js';
import { format as nmap } from './formats/nmap/format.js';
import { format as npmAudit } from './formats/npm-audit/format.js';
import { format as nuclei } from './formats/nuclei/format.js';
import { format as ociAudit } from './formats/oci-audit/format.js';
import { format as ocsf } from './formats/ocsf/format.js';
import { format as openapi } from './formats/openapi/format.js';
import { format as openvas } from './formats/openvas/format.js';
import { format as openvex } from './formats/openvex/format.js';
import { format as osv } from './formats/osv/format.js';
import { format as pipAudit } from './formats/pip-audit/format.js';
import { format as polaris } from './formats/polaris/format.js';
import { format as popeye } from './formats/popeye/format.js';
import { format as powerpipe } from './formats/powerpipe/format.js';
import { format as prismaCsv } from './formats/prisma-csv/format.js';
import { format as promptfoo } from './formats/promptfoo/format.js';
import { format as prowler } from './formats/prowler/format.js';
import { format as rkhunter } from './formats/rkhunter/format.js';
import { format as sarif } from './formats/sarif/format.js';
import { format as scoutsuite } from './formats/scoutsuite/format.js';
import { format as secureScore } from './formats/secure-score/format.js';
import { format as semgrep } from './formats/semgrep/format.js';
import { format as snyk } from './formats/snyk/format.js';
import { format as spdx } from './formats/spdx/format.js';
import { format as sslyze } from './formats/sslyze/format.js';
import { format as stig } from './formats/stig/format.js';
import { format as stix } from './formats/stix/format.js';
import { format as sysdig } from './formats/sysdig/format.js';
import { format as terraformPlan } from './formats/terraform-plan/format.js';
import { format as terraformState } from './formats/terraform-state/format.js';
import { format as terrascan } from './formats/terrascan/format.js';
import { format as testssl } from './formats/testssl/format.js';
import { format as tfsec } from './formats/tfsec/format.js';
import { format as tfstate } from './formats/tfstate/format.js';
import { format as trivy } from './formats/trivy/format.js';
import { format as trivyOperator } from './formats/trivy-operator/format.js';
import { format as trufflehog } from './formats/trufflehog/format.js';
import { format as twistlock } from './formats/twistlock/format.js';
import { format as wazuh } from './formats/wazuh/format.js';
import { format as wizCsv } from './formats/wiz-csv/format.js';
import { format as wizcli } from './formats/wizcli/format.js';
import { format as xccdf } from './formats/xccdf/format.js';
import { format as yarnAudit } from './formats/yarn-audit/format.js';
import { format as zap } from './formats/zap/format.js';
import type { ReportFormat } from './types.js';

/** Every supported report format, one line each. */
export const importers: readonly ReportFormat[] = [
  ocsf,
  asff,
  prowler,
  guardduty,
  defenderForCloud,
  msDefender,
  secureScore,
  wizCsv,
  wizcli,
  prismaCsv,
  powerpipe,
  cloudCustodian,
  sarif,
  semgrep,
  bandit,
  gosec,
  gitlab,
  gitlabDynamic,
  zap,
  burp,
  nuclei,
  eslint,
  checkov,
  kics,
  tfsec,
  terrascan,
  gitleaks,
  trufflehog,
  detectSecrets,
  trivy,
  grype,
  snyk,
  osv,
  npmAudit,
  yarnAudit,
  pipAudit,
  dependencyCheck,
  dependencyTrack,
  cyclonedx,
  spdx,
  openvex,
  openapi,
  crunch42,
  nessus,
  nmap,
  openvas,
  xccdf,
  wazuh,
  lynis,
  testssl,
  stig,
  sslyze,
  rkhunter,
  dbprotect,
  kubeBench,
  kubescape,
  trivyOperator,
  inspector2,
  twistlock,
  dockerBench,
  falco,
  polaris,
  kubeaudit,
  popeye,
  neuVector,
  sysdig,
  googleArtifactAnalysis,
  deepfence,
  promptfoo,
  garak,
  terraformPlan,
  terraformState,
  tfstate,
  kubernetes,
  awsConfig,
  awsAnswers,
  awsCredentialReport,
  azureResources,
  entraDirectory,
  gcpAssets,
  scoutsuite,
  cloudApiResponses,
  cloudtrail,
  gcpAudit,
  azureAudit,
  kubernetesAudit,
  ociAudit,
  alicloudActionTrail,
  awsLastAccessed,
  stix,
  indicatorsCsv,
  hostPackages,
];
