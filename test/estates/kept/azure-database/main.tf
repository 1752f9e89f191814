resource "azurerm_mssql_server" "this" {
  name                          = "orders"
  resource_group_name           = "orders"
  location                      = "westeurope"
  version                       = "12.0"
  minimum_tls_version           = "1.2"
  public_network_access_enabled = false
  azuread_administrator {
    login_username              = "dba"
    object_id                   = "11111111-1111-1111-1111-111111111111"
    azuread_authentication_only = true
  }
}
resource "azurerm_mssql_server_extended_auditing_policy" "this" {
  server_id              = azurerm_mssql_server.this.id
  log_monitoring_enabled = true
}
resource "azurerm_mssql_database" "this" {
  name      = "orders"
  server_id = azurerm_mssql_server.this.id
}
