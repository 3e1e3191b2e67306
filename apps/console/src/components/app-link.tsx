import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

export type AppLinkProps = {
  to: NonNullable<LinkProps["to"]>;
  className?: string;
  children: ReactNode;
};

/**
 * A link to a page that most people visit next: its code is loaded as soon as the link is within 100 px of the window.
 * Other links are the router's own, which load when the pointer reaches them.
 */
export function AppLink(props: AppLinkProps) {
  return <Link {...props} preload="viewport" />;
}
