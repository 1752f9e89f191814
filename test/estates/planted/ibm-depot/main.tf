# a depot in IBM's cloud
resource "ibm_is_security_group_rule" "ssh" {
  group     = "r006-depot"
  direction = "inbound"
  remote    = "0.0.0.0/0"
  tcp {
    port_min = 22
    port_max = 22
  }
}
resource "ibm_iam_access_group_policy" "public" {
  access_group_id = "AccessGroupId-PublicAccess"
  roles           = ["Object Reader"]
  resources {
    service = "cloud-object-storage"
  }
}
resource "ibm_is_instance" "depot" {
  name    = "depot"
  image   = "r006-image"
  profile = "bx2-2x8"
  vpc     = "r006-vpc"
  zone    = "eu-de-1"
  keys    = []
  metadata_service {
    enabled  = true
    protocol = "http"
  }
}
