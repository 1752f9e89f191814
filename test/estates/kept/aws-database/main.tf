resource "aws_db_instance" "this" {
  identifier                  = "ledger"
  engine                      = "postgres"
  engine_version              = "17.4"
  instance_class              = "db.t4g.medium"
  allocated_storage           = 50
  username                    = "ledger"
  manage_master_user_password = true
  storage_encrypted           = true
  publicly_accessible         = false
  multi_az                    = true
  backup_retention_period     = 14
  deletion_protection         = true
  auto_minor_version_upgrade  = true
}
resource "aws_dynamodb_table" "this" {
  name         = "sessions"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
  server_side_encryption {
    enabled = true
  }
  point_in_time_recovery {
    enabled = true
  }
}
