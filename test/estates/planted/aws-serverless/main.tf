# functions that anybody calls, images that anybody pulls
resource "aws_lambda_function" "orders" {
  function_name = "orders"
  role          = "arn:aws:iam::111122223333:role/orders"
  handler       = "index.handler"
  runtime       = "nodejs12.x"
  filename      = "orders.zip"
  environment {
    variables = { DB_PASSWORD = "q7Zt2Lm9xW4vb3Np8Rk1" }
  }
}
resource "aws_lambda_permission" "anybody" {
  statement_id  = "anybody"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.orders.function_name
  principal     = "*"
}
resource "aws_lambda_function_url" "orders" {
  function_name      = aws_lambda_function.orders.function_name
  authorization_type = "NONE"
}
resource "aws_ecr_repository" "orders" {
  name = "orders"
}
resource "aws_ecr_repository_policy" "orders" {
  repository = aws_ecr_repository.orders.name
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = "*", Action = "ecr:*" }]
  })
}
resource "aws_eks_cluster" "main" {
  name     = "main"
  role_arn = "arn:aws:iam::111122223333:role/eks"
  vpc_config {
    subnet_ids              = ["subnet-1", "subnet-2"]
    endpoint_public_access  = true
    public_access_cidrs     = ["0.0.0.0/0"]
  }
}
resource "aws_elasticsearch_domain" "logs" {
  domain_name           = "logs"
  elasticsearch_version = "7.10"
  access_policies = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { AWS = "*" }, Action = "es:*", Resource = "*" }]
  })
}
