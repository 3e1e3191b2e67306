import { Link } from "@tanstack/react-router";
import type { SiteLinkProps } from "./site-link.tsx";

/** A link between pages of the site, by the router. */
export function RouterSiteLink({ to, hash, ...rest }: SiteLinkProps) {
  return <Link {...rest} to={to} {...(hash !== undefined && { hash })} />;
}
