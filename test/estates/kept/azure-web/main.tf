resource "azurerm_linux_web_app" "this" {
  name                          = "desk"
  resource_group_name           = "desk"
  location                      = "westeurope"
  service_plan_id               = "plan"
  https_only                    = true
  public_network_access_enabled = true
  identity {
    type = "SystemAssigned"
  }
  site_config {
    minimum_tls_version = "1.2"
    ftps_state          = "Disabled"
    http2_enabled       = true
  }
}
resource "azurerm_network_security_group" "this" {
  name                = "desk"
  resource_group_name = "desk"
  location            = "westeurope"
  security_rule {
    name                       = "https"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "443"
    source_address_prefix      = "Internet"
    destination_address_prefix = "*"
  }
}
resource "azurerm_linux_virtual_machine" "this" {
  name                            = "desk"
  resource_group_name             = "desk"
  location                        = "westeurope"
  size                            = "Standard_B2s"
  admin_username                  = "desk"
  disable_password_authentication = true
  encryption_at_host_enabled      = true
  secure_boot_enabled             = true
  vtpm_enabled                    = true
  network_interface_ids           = ["nic"]
  admin_ssh_key {
    username   = "desk"
    public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample desk"
  }
  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
  }
}
