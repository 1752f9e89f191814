# a bank's statements: storage that anybody reads, and a database that answers the internet
resource "aws_s3_bucket" "statements" {
  bucket = "harbour-bank-statements"
}
resource "aws_s3_bucket_acl" "statements" {
  bucket = aws_s3_bucket.statements.id
  acl    = "public-read"
}
resource "aws_s3_bucket_policy" "statements" {
  bucket = aws_s3_bucket.statements.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = "*", Action = "s3:GetObject", Resource = "${aws_s3_bucket.statements.arn}/*" }]
  })
}
resource "aws_db_instance" "ledger" {
  identifier          = "ledger"
  engine              = "postgres"
  engine_version      = "16.3"
  instance_class      = "db.t4g.medium"
  allocated_storage   = 50
  username            = "ledger"
  password            = "Tr0ub4dor-and-3-more"
  publicly_accessible = true
  storage_encrypted   = false
  skip_final_snapshot = true
}
resource "aws_security_group" "ledger" {
  name = "ledger"
  ingress {
    from_port   = 5432
    to_port     = 5432
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
