# nobody sees what happens, and keys that everybody uses
resource "aws_cloudtrail" "main" {
  name                          = "main"
  s3_bucket_name                = "trail-logs"
  enable_logging                = false
  is_multi_region_trail         = false
  include_global_service_events = false
  enable_log_file_validation    = false
}
resource "aws_kms_key" "shared" {
  description         = "shared"
  enable_key_rotation = false
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { AWS = "*" }, Action = "kms:*", Resource = "*" }]
  })
}
resource "aws_sqs_queue" "orders" {
  name = "orders"
}
resource "aws_sqs_queue_policy" "orders" {
  queue_url = aws_sqs_queue.orders.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = "*", Action = "sqs:*", Resource = aws_sqs_queue.orders.arn }]
  })
}
resource "aws_sns_topic" "alarms" {
  name = "alarms"
}
resource "aws_sns_topic_policy" "alarms" {
  arn = aws_sns_topic.alarms.arn
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { AWS = "*" }, Action = "sns:Publish", Resource = aws_sns_topic.alarms.arn }]
  })
}
