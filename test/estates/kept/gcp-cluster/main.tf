resource "google_container_cluster" "this" {
  name                     = "main"
  location                 = "europe-west1"
  remove_default_node_pool = true
  initial_node_count       = 1
  networking_mode          = "VPC_NATIVE"
  datapath_provider        = "ADVANCED_DATAPATH"
  private_cluster_config {
    enable_private_nodes    = true
    enable_private_endpoint = true
  }
  master_authorized_networks_config {
    cidr_blocks {
      cidr_block = "10.0.0.0/8"
    }
  }
  workload_identity_config {
    workload_pool = "p.svc.id.goog"
  }
  release_channel {
    channel = "REGULAR"
  }
  database_encryption {
    state    = "ENCRYPTED"
    key_name = "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/gke"
  }
}
