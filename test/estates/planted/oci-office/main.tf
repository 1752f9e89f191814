# an office in Oracle's cloud
resource "oci_core_security_list" "office" {
  compartment_id = "ocid1.compartment.oc1..office"
  vcn_id         = "ocid1.vcn.oc1..office"
  ingress_security_rules {
    protocol = "6"
    source   = "0.0.0.0/0"
    tcp_options {
      min = 22
      max = 22
    }
  }
}
resource "oci_objectstorage_bucket" "files" {
  compartment_id = "ocid1.compartment.oc1..office"
  name           = "files"
  namespace      = "office"
  access_type    = "ObjectRead"
}
resource "oci_identity_policy" "everybody" {
  compartment_id = "ocid1.tenancy.oc1..office"
  name           = "everybody"
  description    = "everybody"
  statements     = ["Allow any-user to manage all-resources in tenancy"]
}
resource "oci_core_instance" "desk" {
  compartment_id      = "ocid1.compartment.oc1..office"
  availability_domain = "AD-1"
  shape               = "VM.Standard.E4.Flex"
  instance_options {
    are_legacy_imds_endpoints_disabled = false
  }
}
