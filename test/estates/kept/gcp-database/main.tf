resource "google_sql_database_instance" "this" {
  name             = "patients"
  database_version = "POSTGRES_17"
  settings {
    tier              = "db-custom-2-7680"
    availability_type = "REGIONAL"
    ip_configuration {
      ipv4_enabled    = false
      private_network = "projects/p/global/networks/main"
      ssl_mode        = "ENCRYPTED_ONLY"
    }
    backup_configuration {
      enabled                        = true
      point_in_time_recovery_enabled = true
    }
  }
  deletion_protection = true
}
