import type { PublicPath } from "@turnpike/contract/public-pages";
import { type ComponentType, createContext, type ReactNode, use } from "react";
import type { HOME_PATH } from "#platform/guard.ts";

export type SiteLinkProps = {
  to: PublicPath | typeof HOME_PATH;
  /** A place on that page, without `#`. */
  hash?: string;
  className?: string;
  children?: ReactNode;
};

const SiteLinkContext = createContext<ComponentType<SiteLinkProps>>(DocumentLink);

/** Says what links between pages of the site are: the router's in the application. */
export const SiteLinkProvider = SiteLinkContext;

/** A link to a page of the site, for what stands on pages with a router and without one. */
export function SiteLink(props: SiteLinkProps) {
  const OwnLink = use(SiteLinkContext);
  return <OwnLink {...props} />;
}

/** Where there is no router the browser opens the page. */
function DocumentLink({ to, hash, children, ...rest }: SiteLinkProps) {
  return (
    <a {...rest} href={hash === undefined ? to : `${to}#${hash}`}>
      {children}
    </a>
  );
}
