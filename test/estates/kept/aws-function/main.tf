resource "aws_lambda_function" "this" {
  function_name = "orders"
  role          = "arn:aws:iam::111122223333:role/orders"
  handler       = "index.handler"
  runtime       = "nodejs22.x"
  filename      = "orders.zip"
  tracing_config {
    mode = "Active"
  }
  environment {
    variables = { TABLE = "orders", SECRET_ARN = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:orders" }
  }
}
resource "aws_lambda_permission" "gateway" {
  statement_id  = "gateway"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.this.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "arn:aws:execute-api:eu-west-1:111122223333:abc/*/*"
}
resource "aws_sqs_queue" "this" {
  name                    = "orders"
  sqs_managed_sse_enabled = true
}
resource "aws_kms_key" "this" {
  description         = "orders"
  enable_key_rotation = true
}
resource "aws_cloudtrail" "this" {
  name                          = "all"
  s3_bucket_name                = "trail-logs"
  kms_key_id                    = aws_kms_key.this.arn
  is_multi_region_trail         = true
  include_global_service_events = true
  enable_log_file_validation    = true
}
