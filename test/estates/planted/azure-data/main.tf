# data services with their doors open
resource "azurerm_postgresql_flexible_server_firewall_rule" "everybody" {
  name             = "everybody"
  server_id        = "/subscriptions/0/resourceGroups/d/providers/Microsoft.DBforPostgreSQL/flexibleServers/d"
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255"
}
resource "azurerm_redis_cache" "sessions" {
  name                 = "sessions"
  resource_group_name  = "data"
  location             = "westeurope"
  capacity             = 1
  family               = "C"
  sku_name             = "Standard"
  non_ssl_port_enabled = true
  minimum_tls_version  = "1.0"
}
resource "azurerm_cosmosdb_account" "events" {
  name                          = "events"
  resource_group_name           = "data"
  location                      = "westeurope"
  offer_type                    = "Standard"
  public_network_access_enabled = true
  local_authentication_disabled = false
  consistency_policy {
    consistency_level = "Session"
  }
  geo_location {
    location          = "westeurope"
    failover_priority = 0
  }
}
resource "azurerm_linux_web_app" "desk" {
  name                = "desk"
  resource_group_name = "data"
  location            = "westeurope"
  service_plan_id     = "plan"
  https_only          = false
  site_config {
    minimum_tls_version      = "1.0"
    ftps_state               = "AllAllowed"
    remote_debugging_enabled = true
    cors {
      allowed_origins = ["*"]
    }
  }
}
