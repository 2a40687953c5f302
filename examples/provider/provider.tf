terraform {
  required_providers {
    eksaddon = {
      source = "eksaddon/eksaddon"
    }
  }
}

# Nothing has to be set: the catalog is in the provider, and no credentials are read.
provider "eksaddon" {}
