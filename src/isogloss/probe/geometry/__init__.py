"""How contextual and how anisotropic an encoder's layers are (Ethayarajh 2019)."""
