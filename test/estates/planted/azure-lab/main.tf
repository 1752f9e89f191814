# a lab: machines and clusters that people reach from everywhere
resource "azurerm_network_security_group" "lab" {
  name                = "lab"
  resource_group_name = "lab"
  location            = "westeurope"
  security_rule {
    name                       = "desk"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "Tcp"
    source_port_range          = "*"
    destination_port_range     = "3389"
    source_address_prefix      = "*"
    destination_address_prefix = "*"
  }
}
resource "azurerm_linux_virtual_machine" "lab" {
  name                            = "lab"
  resource_group_name             = "lab"
  location                        = "westeurope"
  size                            = "Standard_B2s"
  admin_username                  = "lab"
  admin_password                  = "Tr0ub4dor-and-3-more"
  disable_password_authentication = false
  network_interface_ids           = ["nic"]
  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Standard_LRS"
  }
}
resource "azurerm_kubernetes_cluster" "lab" {
  name                              = "lab"
  resource_group_name               = "lab"
  location                          = "westeurope"
  dns_prefix                        = "lab"
  role_based_access_control_enabled = false
  local_account_disabled            = false
  default_node_pool {
    name    = "default"
    vm_size = "Standard_B2s"
  }
}
resource "azurerm_container_registry" "lab" {
  name                   = "lab"
  resource_group_name    = "lab"
  location               = "westeurope"
  sku                    = "Premium"
  admin_enabled          = true
  anonymous_pull_enabled = true
}
resource "azurerm_role_assignment" "students" {
  scope                = "/subscriptions/00000000-0000-0000-0000-000000000000"
  role_definition_name = "Owner"
  principal_id         = "11111111-1111-1111-1111-111111111111"
}
