"""The browser: Sixprime as a server on this machine, and the pages it gives out.

In: requests. Out: pages, JSON and streams of events. The rule kept here: a page knows no rules of backgammon and no
handler does either; both ask a `play.Session` or the engine. `server` starts it, `app` puts it together, `guard` keeps
strangers out, `house` holds what lasts from one request to the next, `operations` is the table of all that can be
asked, of which `openapi` makes a document.
"""
