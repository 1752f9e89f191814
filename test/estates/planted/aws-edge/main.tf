# what clients meet first: plain text, old protocols
resource "aws_lb" "web" {
  name               = "web"
  load_balancer_type = "application"
  subnets            = ["subnet-1", "subnet-2"]
}
resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type             = "forward"
    target_group_arn = "arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/web/0123456789abcdef"
  }
}
resource "aws_redshift_cluster" "reports" {
  cluster_identifier  = "reports"
  node_type           = "ra3.large"
  master_username     = "reports"
  master_password     = "Tr0ub4dor-and-3-more"
  publicly_accessible = true
  encrypted           = false
}
resource "aws_ebs_snapshot_block_public_access" "main" {
  state = "unblocked"
}
resource "aws_s3_account_public_access_block" "main" {
  block_public_acls       = false
  block_public_policy     = false
  ignore_public_acls      = false
  restrict_public_buckets = false
}
resource "aws_efs_file_system" "share" {
  encrypted = false
}
resource "aws_elasticache_replication_group" "sessions" {
  replication_group_id       = "sessions"
  description                = "sessions"
  node_type                  = "cache.t4g.small"
  at_rest_encryption_enabled = false
  transit_encryption_enabled = false
}
