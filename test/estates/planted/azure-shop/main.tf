# a shop: storage, database and vault that answer everybody
resource "azurerm_storage_account" "media" {
  name                            = "shopmedia"
  resource_group_name             = "shop"
  location                        = "westeurope"
  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = true
  https_traffic_only_enabled      = false
  min_tls_version                 = "TLS1_0"
}
resource "azurerm_storage_container" "invoices" {
  name                  = "invoices"
  storage_account_id    = azurerm_storage_account.media.id
  container_access_type = "container"
}
resource "azurerm_mssql_server" "orders" {
  name                          = "shop-orders"
  resource_group_name           = "shop"
  location                      = "westeurope"
  version                       = "12.0"
  administrator_login           = "shop"
  administrator_login_password  = "Tr0ub4dor-and-3-more"
  public_network_access_enabled = true
  minimum_tls_version           = "1.0"
}
resource "azurerm_mssql_firewall_rule" "everybody" {
  name             = "everybody"
  server_id        = azurerm_mssql_server.orders.id
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255"
}
resource "azurerm_key_vault" "shop" {
  name                       = "shop"
  resource_group_name        = "shop"
  location                   = "westeurope"
  tenant_id                  = "00000000-0000-0000-0000-000000000000"
  sku_name                   = "standard"
  purge_protection_enabled   = false
  network_acls {
    default_action = "Allow"
    bypass         = "AzureServices"
  }
}
