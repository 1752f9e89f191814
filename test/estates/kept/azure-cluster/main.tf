resource "azurerm_kubernetes_cluster" "this" {
  name                              = "main"
  resource_group_name               = "main"
  location                          = "westeurope"
  dns_prefix                        = "main"
  private_cluster_enabled           = true
  local_account_disabled            = true
  role_based_access_control_enabled = true
  azure_policy_enabled              = true
  oidc_issuer_enabled               = true
  workload_identity_enabled         = true
  azure_active_directory_role_based_access_control {
    azure_rbac_enabled = true
  }
  network_profile {
    network_plugin = "azure"
    network_policy = "cilium"
  }
  default_node_pool {
    name    = "system"
    vm_size = "Standard_D4s_v5"
  }
  identity {
    type = "SystemAssigned"
  }
}
resource "azurerm_container_registry" "this" {
  name                          = "main"
  resource_group_name           = "main"
  location                      = "westeurope"
  sku                           = "Premium"
  admin_enabled                 = false
  public_network_access_enabled = false
}
