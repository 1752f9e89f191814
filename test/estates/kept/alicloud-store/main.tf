resource "alicloud_oss_bucket" "this" {
  bucket = "store-archive"
  server_side_encryption_rule {
    sse_algorithm = "KMS"
  }
}
resource "alicloud_oss_bucket_public_access_block" "this" {
  bucket              = alicloud_oss_bucket.this.bucket
  block_public_access = true
}
resource "alicloud_security_group_rule" "https" {
  security_group_id = "sg-store"
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "443/443"
  cidr_ip           = "0.0.0.0/0"
}
