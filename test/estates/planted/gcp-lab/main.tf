# machines and clusters as a first try leaves them
resource "google_compute_firewall" "open" {
  name          = "open"
  network       = "default"
  source_ranges = ["0.0.0.0/0"]
  allow {
    protocol = "tcp"
    ports    = ["22", "3389"]
  }
}
resource "google_compute_instance" "lab" {
  name         = "lab"
  machine_type = "e2-small"
  zone         = "europe-west1-b"
  boot_disk {
    initialize_params {
      image = "debian-cloud/debian-12"
    }
  }
  network_interface {
    network = "default"
    access_config {}
  }
  service_account {
    email  = "123456789012-compute@developer.gserviceaccount.com"
    scopes = ["cloud-platform"]
  }
  metadata = {
    serial-port-enable = "true"
    enable-oslogin     = "FALSE"
  }
}
resource "google_container_cluster" "lab" {
  name               = "lab"
  location           = "europe-west1"
  initial_node_count = 1
  enable_legacy_abac = true
  master_authorized_networks_config {
    cidr_blocks {
      cidr_block = "0.0.0.0/0"
    }
  }
}
resource "google_project_iam_member" "students" {
  project = "lab"
  role    = "roles/owner"
  member  = "group:students@example.com"
}
resource "google_project_iam_member" "machine" {
  project = "lab"
  role    = "roles/editor"
  member  = "serviceAccount:lab@lab.iam.gserviceaccount.com"
}
