# machines for people: everything open, credentials in user data, metadata without tokens
resource "aws_security_group" "jump" {
  name = "jump"
  ingress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_instance" "jump" {
  ami                    = "ami-0abcdef1234567890"
  instance_type          = "t3.small"
  vpc_security_group_ids = [aws_security_group.jump.id]
  metadata_options {
    http_tokens   = "optional"
    http_endpoint = "enabled"
  }
  user_data = <<-EOT
    #!/bin/bash
    export AWS_ACCESS_KEY_ID=AKIAQ7ZT2LM9XW4VB3NP
    export AWS_SECRET_ACCESS_KEY=q7Zt2Lm9xW4vb3Np8Rk1s5Tg6Yh7Uj8Ik9Ol0Pz1
  EOT
  root_block_device {
    encrypted = false
  }
}
resource "aws_security_group" "desk" {
  name = "desk"
  ingress {
    from_port        = 3389
    to_port          = 3389
    protocol         = "tcp"
    ipv6_cidr_blocks = ["::/0"]
  }
}
