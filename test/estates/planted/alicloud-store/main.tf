# a store in Alibaba's cloud
resource "alicloud_oss_bucket" "pictures" {
  bucket = "store-pictures"
  acl    = "public-read-write"
}
resource "alicloud_security_group_rule" "ssh" {
  security_group_id = "sg-store"
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "22/22"
  cidr_ip           = "0.0.0.0/0"
}
resource "alicloud_ram_policy" "all" {
  policy_name     = "all"
  policy_document = jsonencode({ Version = "1", Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}
resource "alicloud_db_instance" "orders" {
  engine           = "MySQL"
  engine_version   = "8.0"
  instance_type    = "rds.mysql.s2.large"
  instance_storage = 50
  security_ips     = ["0.0.0.0/0"]
}
