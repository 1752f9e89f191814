resource "aws_instance" "this" {
  ami                         = "ami-0abcdef1234567890"
  instance_type               = "t3.small"
  subnet_id                   = "subnet-0123456789abcdef0"
  associate_public_ip_address = false
  iam_instance_profile        = "web"
  monitoring                  = true
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }
  root_block_device {
    encrypted = true
  }
}
resource "aws_ebs_encryption_by_default" "this" {
  enabled = true
}
resource "aws_launch_template" "this" {
  name = "web"
  metadata_options {
    http_tokens = "required"
  }
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      encrypted   = true
      volume_size = 20
    }
  }
}
