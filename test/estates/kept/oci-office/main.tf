resource "oci_objectstorage_bucket" "this" {
  compartment_id = "ocid1.compartment.oc1..office"
  name           = "files"
  namespace      = "office"
  access_type    = "NoPublicAccess"
  versioning     = "Enabled"
  kms_key_id     = "ocid1.key.oc1..files"
}
resource "oci_core_network_security_group_security_rule" "https" {
  network_security_group_id = "ocid1.networksecuritygroup.oc1..web"
  direction                 = "INGRESS"
  protocol                  = "6"
  source                    = "0.0.0.0/0"
  tcp_options {
    destination_port_range {
      min = 443
      max = 443
    }
  }
}
resource "oci_identity_policy" "this" {
  compartment_id = "ocid1.compartment.oc1..office"
  name           = "readers"
  description    = "readers of files"
  statements     = ["Allow group readers to read objects in compartment office where target.bucket.name='files'"]
}
