resource "aws_eks_cluster" "this" {
  name     = "main"
  role_arn = "arn:aws:iam::111122223333:role/eks"
  version  = "1.33"
  vpc_config {
    subnet_ids              = ["subnet-1", "subnet-2"]
    endpoint_private_access = true
    endpoint_public_access  = false
  }
  encryption_config {
    resources = ["secrets"]
    provider {
      key_arn = "arn:aws:kms:eu-west-1:111122223333:key/a"
    }
  }
  enabled_cluster_log_types = ["api", "audit", "authenticator"]
}
resource "aws_ecr_repository" "this" {
  name                 = "web"
  image_tag_mutability = "IMMUTABLE"
  image_scanning_configuration {
    scan_on_push = true
  }
}
