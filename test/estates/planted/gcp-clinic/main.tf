# a clinic's records for all users
resource "google_storage_bucket" "scans" {
  name     = "clinic-scans"
  location = "EU"
}
resource "google_storage_bucket_iam_member" "scans" {
  bucket = google_storage_bucket.scans.name
  role   = "roles/storage.objectViewer"
  member = "allUsers"
}
resource "google_bigquery_dataset_iam_member" "research" {
  dataset_id = "research"
  role       = "roles/bigquery.dataViewer"
  member     = "allAuthenticatedUsers"
}
resource "google_sql_database_instance" "patients" {
  name             = "patients"
  database_version = "POSTGRES_16"
  settings {
    tier = "db-custom-2-7680"
    ip_configuration {
      ipv4_enabled = true
      ssl_mode     = "ALLOW_UNENCRYPTED_AND_ENCRYPTED"
      authorized_networks {
        name  = "everybody"
        value = "0.0.0.0/0"
      }
    }
  }
}
resource "google_kms_crypto_key_iam_member" "scans" {
  crypto_key_id = "projects/clinic/locations/eu/keyRings/r/cryptoKeys/scans"
  role          = "roles/cloudkms.cryptoKeyDecrypter"
  member        = "allUsers"
}
