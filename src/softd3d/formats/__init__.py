"""Texel formats: what DXGI_FORMAT names mean, and conversion between texels and components."""
