import { escape } from "../../ground/pages/Layout.ts"
import { formatsOf } from "./Formats.ts"
import { portalPage } from "./PortalPages.ts"
import type { PortalReader } from "./PortalPages.ts"
import { portalActions, portalPath } from "./PortalPaths.ts"
import { transferWords } from "./TransferWords.ts"

/** An offer of a license, as the page shows it to whoever has the link. */
export interface ShownOffer {
  readonly secret: string
  readonly owner: string
  readonly product: string
  readonly recipient: string
  readonly expiresAt: string
}

/** The page of an offer. Programs that look into mails open it, too: only its button accepts the license. */
export const offerPage = (reader: PortalReader, offer: ShownOffer): string => {
  const words = transferWords[reader.language]
  return portalPage(reader, {
    title: words.offerTitle,
    isSignedIn: false,
    main: `<h1>${escape(words.offerTitle)}</h1>
<form class="card" method="post" action="${portalPath}${portalActions.acceptTransfer}">
<p>${escape(words.offerLead(offer.owner, offer.product, offer.recipient))}</p>
<p>${escape(words.offerEffect(formatsOf(reader.language).time(offer.expiresAt)))}</p>
<input type="hidden" name="token" value="${escape(offer.secret)}">
<p><button>${escape(words.accept)}</button></p>
</form>`
  })
}
