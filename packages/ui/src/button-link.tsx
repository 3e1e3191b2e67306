import { useRender } from "@base-ui/react/use-render";
import type { ReactElement, ReactNode } from "react";
import { type ButtonLook, type ButtonSize, toButtonClasses } from "./button.tsx";

export type ButtonLinkProps = {
  /** The link itself, such as `<Link to="/plans" />` or `<a href="/docs" />`. */
  link: ReactElement<Record<string, unknown>>;
  look?: ButtonLook;
  size?: ButtonSize;
  children: ReactNode;
};

/** A link that looks like a button: it leads somewhere and changes nothing. */
export function ButtonLink({ link, look = "secondary", size, children }: ButtonLinkProps) {
  return useRender({ render: link, props: { className: toButtonClasses(look, size), children } });
}
