resource "google_storage_bucket" "this" {
  name                        = "archive"
  location                    = "EU"
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  versioning {
    enabled = true
  }
}
resource "google_storage_bucket_iam_member" "this" {
  bucket = google_storage_bucket.this.name
  role   = "roles/storage.objectViewer"
  member = "group:archive@example.com"
}
resource "google_kms_crypto_key" "this" {
  name            = "archive"
  key_ring        = "projects/p/locations/eu/keyRings/r"
  rotation_period = "7776000s"
}
