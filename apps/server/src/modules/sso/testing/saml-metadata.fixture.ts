/** Of an identity provider that no one asks: a certificate whose key was thrown away. */
export const SAML_METADATA =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example"><IDPSSODescriptor>' +
  "<KeyDescriptor><KeyInfo><X509Data><X509Certificate>" +
  "MIIBgzCCASmgAwIBAgIUROO7qQnoU9uIxEXsxKQwaqkukZQwCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwIBcN" +
  "MjYxMTI3MDgwMTQ5WhgPMjEyNjExMDMwODAxNDlaMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0D" +
  "AQcDQgAEO/XTUNiPkAM68x81dxwsSGk75kE7R4MPecHnx/5XgNXbTl+FGBGlZrc0ZnQObprEXCZFd0nV11bXnkIe3wUzkqNTMFEw" +
  "HQYDVR0OBBYEFKLk0z2ChTmN2MgXnsrba7SP8qQoMB8GA1UdIwQYMBaAFKLk0z2ChTmN2MgXnsrba7SP8qQoMA8GA1UdEwEB/wQF" +
  "MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAMtiDlZWmywg1F/eqi6mrXOVZs7dLAlN9KvVp+7fo3XAAiAfIUUvs3QEA1grr3kDg9E8" +
  "nbXNT4qGG0PDAzj2OoSBBg==" +
  "</X509Certificate></X509Data></KeyInfo></KeyDescriptor>" +
  '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>' +
  "</IDPSSODescriptor></EntityDescriptor>";
