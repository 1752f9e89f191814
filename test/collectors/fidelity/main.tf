# What test/support/aws-estate.ts and aws-estate-more.ts make by the interfaces of AWS in eu-west-1, as people write it in Terraform.
provider "aws" { region = "eu-west-1" }

resource "aws_iam_user" "one" { name = "user-0" }
resource "aws_iam_user_policy" "one" {
  user   = aws_iam_user.one.name
  name   = "inline"
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}
resource "aws_iam_user_login_profile" "one" { user = aws_iam_user.one.name }
resource "aws_iam_access_key" "one" { user = aws_iam_user.one.name }
resource "aws_iam_group" "one" { name = "people" }
resource "aws_iam_user_group_membership" "one" {
  user   = "user-1"
  groups = [aws_iam_group.one.name]
}
resource "aws_iam_role" "one" {
  name = "worker"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" } }]
  })
}
resource "aws_iam_instance_profile" "one" { name = "machines" }
resource "aws_iam_account_password_policy" "one" { minimum_password_length = 14 }

resource "aws_cloudfront_distribution" "one" {
  enabled = true
  comment = ""
  origin {
    origin_id   = "o"
    domain_name = "o.example.com"
  }
  default_cache_behavior {
    target_origin_id       = "o"
    viewer_protocol_policy = "allow-all"
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
  }
  restrictions {
    geo_restriction { restriction_type = "none" }
  }
  viewer_certificate { cloudfront_default_certificate = true }
}

resource "aws_s3_account_public_access_block" "one" {
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}
resource "aws_s3_bucket" "one" {
  bucket = "ledger-eu-west-1"
  tags   = { team = "money" }
}
resource "aws_s3_bucket_policy" "one" {
  bucket = aws_s3_bucket.one.bucket
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "s3:GetObject", Principal = "*", Resource = "arn:aws:s3:::ledger-eu-west-1/*" }]
  })
}
resource "aws_s3_bucket_versioning" "one" {
  bucket = aws_s3_bucket.one.bucket
  versioning_configuration { status = "Enabled" }
}
resource "aws_s3_bucket_public_access_block" "one" {
  bucket                  = aws_s3_bucket.one.bucket
  block_public_acls       = true
  ignore_public_acls      = true
  block_public_policy     = false
  restrict_public_buckets = false
}
resource "aws_s3_access_point" "one" {
  bucket = aws_s3_bucket.one.bucket
  name   = "way-eu-west-1"
}

resource "aws_vpc" "one" { cidr_block = "10.0.0.0/16" }
resource "aws_subnet" "one" {
  vpc_id            = aws_vpc.one.id
  cidr_block        = "10.0.0.0/24"
  availability_zone = "eu-west-1a"
}
resource "aws_subnet" "two" {
  vpc_id            = aws_vpc.one.id
  cidr_block        = "10.0.1.0/24"
  availability_zone = "eu-west-1b"
}
resource "aws_security_group" "one" {
  name        = "open"
  description = "open"
  vpc_id      = aws_vpc.one.id
  ingress {
    protocol    = "tcp"
    from_port   = 22
    to_port     = 22
    cidr_blocks = ["0.0.0.0/0"]
  }
  egress {
    protocol    = "-1"
    from_port   = 0
    to_port     = 0
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_internet_gateway" "one" { vpc_id = aws_vpc.one.id }
resource "aws_instance" "one" {
  ami           = "ami-12c6146b"
  instance_type = "m1.small"
  subnet_id     = aws_subnet.one.id
}
resource "aws_ebs_volume" "one" {
  availability_zone = "eu-west-1a"
  size              = 8
  encrypted         = true
}
resource "aws_ebs_snapshot" "one" {
  volume_id   = aws_ebs_volume.one.id
  description = "made here"
}
resource "aws_eip" "one" { domain = "vpc" }
resource "aws_key_pair" "one" {
  key_name   = "people"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKbN"
}
resource "aws_launch_template" "one" {
  name     = "machines"
  image_id = "ami-12c6146b"
}
resource "aws_ebs_encryption_by_default" "one" { enabled = true }
resource "aws_lb" "one" {
  name            = "front"
  subnets         = [aws_subnet.one.id, aws_subnet.two.id]
  security_groups = [aws_security_group.one.id]
}
resource "aws_lb_target_group" "one" {
  name     = "web"
  protocol = "HTTP"
  port     = 80
  vpc_id   = aws_vpc.one.id
}
resource "aws_lb_listener" "one" {
  load_balancer_arn = aws_lb.one.arn
  protocol          = "HTTP"
  port              = 80
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.one.arn
  }
}
resource "aws_elb" "one" {
  name               = "old"
  availability_zones = ["eu-west-1a"]
  listener {
    lb_protocol       = "http"
    lb_port           = 80
    instance_protocol = "http"
    instance_port     = 80
  }
}

resource "aws_db_instance" "one" {
  identifier        = "orders-eu-west-1"
  instance_class    = "db.t3.micro"
  engine            = "postgres"
  allocated_storage = 20
}
resource "aws_db_snapshot" "one" {
  db_instance_identifier = aws_db_instance.one.identifier
  db_snapshot_identifier = "by-hand"
}
resource "aws_dynamodb_table" "one" {
  name         = "carts"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
resource "aws_efs_file_system" "one" {
  creation_token = "one"
  encrypted      = true
}
resource "aws_opensearch_domain" "one" { domain_name = "search" }
resource "aws_redshift_cluster" "one" {
  cluster_identifier = "facts"
  node_type          = "dc2.large"
  master_username    = "a"
}
resource "aws_elasticache_cluster" "one" {
  cluster_id = "cache"
  engine     = "redis"
  node_type  = "cache.t3.micro"
}
resource "aws_dms_endpoint" "one" {
  endpoint_id   = "source"
  endpoint_type = "source"
  engine_name   = "mysql"
}

resource "aws_kms_key" "one" {
  description         = "ours"
  enable_key_rotation = true
}
resource "aws_secretsmanager_secret" "one" { name = "token" }
resource "aws_acm_certificate" "one" {
  domain_name       = "shop.example.com"
  validation_method = "DNS"
}
resource "aws_lambda_function" "one" {
  function_name = "pay"
  runtime       = "nodejs20.x"
  role          = aws_iam_role.one.arn
  handler       = "a.b"
  filename      = "pay.zip"
}
resource "aws_lambda_permission" "one" {
  function_name = aws_lambda_function.one.function_name
  statement_id  = "all"
  action        = "lambda:InvokeFunction"
  principal     = "*"
}
resource "aws_sqs_queue" "one" { name = "jobs" }
resource "aws_sns_topic" "one" { name = "news" }
resource "aws_sns_topic_subscription" "one" {
  topic_arn = aws_sns_topic.one.arn
  protocol  = "email"
  endpoint  = "a@example.com"
}
resource "aws_ecr_repository" "one" { name = "shop" }
resource "aws_eks_cluster" "one" {
  name     = "k"
  role_arn = aws_iam_role.one.arn
  vpc_config { subnet_ids = [aws_subnet.one.id, aws_subnet.two.id] }
}
resource "aws_eks_node_group" "one" {
  cluster_name    = aws_eks_cluster.one.name
  node_group_name = "n"
  node_role_arn   = aws_iam_role.one.arn
  subnet_ids      = [aws_subnet.one.id, aws_subnet.two.id]
  scaling_config {
    min_size     = 1
    max_size     = 2
    desired_size = 2
  }
}
resource "aws_ecs_cluster" "one" { name = "c" }
resource "aws_ecs_task_definition" "one" {
  family                = "web"
  container_definitions = jsonencode([{ name = "web", image = "shop", memory = 128, privileged = true }])
}
resource "aws_ecs_service" "one" {
  cluster         = aws_ecs_cluster.one.id
  name            = "web"
  task_definition = aws_ecs_task_definition.one.arn
  desired_count   = 1
}
resource "aws_cloudwatch_log_group" "one" { name = "/app/0" }
resource "aws_cloudtrail" "one" {
  name           = "trail-eu-west-1"
  s3_bucket_name = aws_s3_bucket.one.bucket
}

resource "aws_kinesis_stream" "one" {
  name        = "clicks"
  shard_count = 1
}
resource "aws_kinesis_firehose_delivery_stream" "one" {
  name        = "archive"
  destination = "extended_s3"
  extended_s3_configuration {
    role_arn   = aws_iam_role.one.arn
    bucket_arn = aws_s3_bucket.one.arn
  }
}
resource "aws_glue_job" "one" {
  name     = "nightly"
  role_arn = aws_iam_role.one.arn
  command {
    name            = "glueetl"
    script_location = "s3://ledger-eu-west-1/nightly.py"
  }
}
resource "aws_emr_cluster" "one" {
  name                              = "spark"
  release_label                     = "emr-6.15.0"
  service_role                      = "r"
  keep_job_flow_alive_when_no_steps = true
  ec2_attributes { instance_profile = "r" }
  master_instance_group { instance_type = "m5.xlarge" }
}
resource "aws_backup_vault" "one" { name = "vault" }
resource "aws_codebuild_project" "one" {
  name         = "build"
  service_role = aws_iam_role.one.arn
  artifacts { type = "NO_ARTIFACTS" }
  source {
    type     = "S3"
    location = "ledger/source"
  }
  environment {
    type            = "LINUX_CONTAINER"
    image           = "standard:7.0"
    compute_type    = "BUILD_GENERAL1_SMALL"
    privileged_mode = true
  }
}
resource "aws_api_gateway_rest_api" "one" { name = "shop" }
resource "aws_apigatewayv2_api" "one" {
  name          = "shop-2"
  protocol_type = "HTTP"
}
resource "aws_cloudwatch_event_rule" "one" {
  name                = "hourly"
  schedule_expression = "rate(1 hour)"
}
resource "aws_cloudwatch_metric_alarm" "one" {
  alarm_name          = "errors"
  metric_name         = "Errors"
  namespace           = "App"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanThreshold"
}
resource "aws_config_configuration_recorder" "one" {
  name     = "default"
  role_arn = aws_iam_role.one.arn
  recording_group {
    all_supported                 = true
    include_global_resource_types = true
  }
}
resource "aws_guardduty_detector" "one" { enable = true }
resource "aws_glue_data_catalog_encryption_settings" "one" {
  data_catalog_encryption_settings {
    connection_password_encryption { return_connection_password_encrypted = false }
    encryption_at_rest { catalog_encryption_mode = "DISABLED" }
  }
}
