import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

const ROLE = 'palisadeRead';

export const gcpTerraform = ({ permissions }: TemplateFacts): string => `
variable "project_id" {
  type        = string
  description = "The project that is to be scanned."
}

resource "google_project_service" "cloudasset" {
  project            = var.project_id
  service            = "cloudasset.googleapis.com"
  disable_on_destroy = false
}

resource "google_service_account" "palisade" {
  project      = var.project_id
  account_id   = "palisade-read"
  display_name = "Palisade"
}

resource "google_project_iam_custom_role" "palisade" {
  project     = var.project_id
  role_id     = "${ROLE}"
  title       = "Palisade reader"
  permissions = ${hclList(permissions, 2)}
}

resource "google_project_iam_member" "palisade" {
  project = var.project_id
  role    = google_project_iam_custom_role.palisade.id
  member  = google_service_account.palisade.member
}

output "service_account_email" {
  value = google_service_account.palisade.email
}
`;

export const gcpCommands = ({ permissions }: TemplateFacts): string => `
# PROJECT_ID: the project that is to be scanned
set -eu
gcloud services enable cloudasset.googleapis.com --project "$PROJECT_ID"
gcloud iam service-accounts create palisade-read --project "$PROJECT_ID" --display-name Palisade
gcloud iam roles create ${ROLE} --project "$PROJECT_ID" --title "Palisade reader" \\
  --permissions ${permissions.join(',')}
gcloud projects add-iam-policy-binding "$PROJECT_ID" --role "projects/$PROJECT_ID/roles/${ROLE}" \\
  --member "serviceAccount:palisade-read@$PROJECT_ID.iam.gserviceaccount.com"
`;
