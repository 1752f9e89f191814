# what runs without servers and without asking who calls
resource "google_cloud_run_service_iam_member" "orders" {
  service  = "orders"
  location = "europe-west1"
  role     = "roles/run.invoker"
  member   = "allUsers"
}
resource "google_cloudfunctions_function" "hook" {
  name        = "hook"
  runtime     = "nodejs10"
  trigger_http = true
  https_trigger_security_level = "SECURE_OPTIONAL"
  environment_variables = {
    API_TOKEN = "q7Zt2Lm9xW4vb3Np8Rk1"
  }
}
resource "google_pubsub_topic_iam_member" "orders" {
  topic  = "orders"
  role   = "roles/pubsub.publisher"
  member = "allUsers"
}
resource "google_artifact_registry_repository_iam_member" "images" {
  repository = "images"
  location   = "europe-west1"
  role       = "roles/artifactregistry.writer"
  member     = "allAuthenticatedUsers"
}
resource "google_compute_ssl_policy" "old" {
  name            = "old"
  profile         = "COMPATIBLE"
  min_tls_version = "TLS_1_0"
}
