resource "google_compute_instance" "this" {
  name         = "web"
  machine_type = "e2-small"
  zone         = "europe-west1-b"
  boot_disk {
    initialize_params {
      image = "debian-cloud/debian-12"
    }
  }
  network_interface {
    subnetwork = "projects/p/regions/europe-west1/subnetworks/web"
  }
  service_account {
    email  = "web@p.iam.gserviceaccount.com"
    scopes = ["cloud-platform"]
  }
  shielded_instance_config {
    enable_secure_boot          = true
    enable_vtpm                 = true
    enable_integrity_monitoring = true
  }
  metadata = {
    enable-oslogin         = "TRUE"
    block-project-ssh-keys = "TRUE"
  }
}
resource "google_compute_firewall" "https" {
  name          = "https"
  network       = "projects/p/global/networks/main"
  source_ranges = ["0.0.0.0/0"]
  target_tags   = ["web"]
  allow {
    protocol = "tcp"
    ports    = ["443"]
  }
}
resource "google_compute_firewall" "iap" {
  name          = "iap"
  network       = "projects/p/global/networks/main"
  source_ranges = ["35.235.240.0/20"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}
