"""The public price list files, which need no credentials.

One file for each service and region: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-the-aws-price-list-bulk-api-fetching-price-list-files-manually.html
"""

import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from sizewell.price_list.errors import PriceListError
from sizewell.price_list.json_stream import BrokenJsonError, JsonStream
from sizewell.price_list.products import KEYS, Key, ServicePrices, hourly_prices, service_prices

_TRIES = 5
#: Doubled after each try.
FIRST_WAIT_S = 1.0
_TIMEOUT_S = 60
_CHUNK = 1 << 20
_SAY_EVERY_S = 2.0
_MB = 1_000_000
#: Too many requests, and what a server says that cannot answer now.
_PASSING = frozenset({429, 500, 502, 503, 504})

Say = Callable[[str], None]


def public_prices(host: str, service: str, region: str, kept: Path, say: Say) -> ServicePrices:
    """Return the prices of a service in a region. The file is kept in a directory, and used again while AWS has the same.

    Raises ``PriceListError``; ``OSError`` where the file cannot be written.
    """
    url = f"{host.rstrip('/')}/offers/v1.0/aws/{service}/current/{region}/index.json"
    path = kept / region / f"{service}.json"
    _download(url, path, f"{service} of {region}", say)
    try:
        return read_file(path, service)
    except (BrokenJsonError, UnicodeDecodeError, AttributeError, TypeError) as error:
        path.unlink()
        raise PriceListError(
            f"{url}\n  is not the price list file that AWS documents: {error}\n  it was thrown away: run the command again"
        ) from None


def read_file(path: Path, service: str) -> ServicePrices:
    """Return the prices of a price list file; raises ``BrokenJsonError``. Only what is needed of it is kept in memory."""
    with path.open(encoding="utf-8") as file:
        stream = JsonStream(file)
        published, keys = "", dict[str, Key]()
        for name in stream.members():
            if name == "products":
                keys = dict(_products(stream, service))
            elif name == "terms":
                if not published or not keys:
                    raise BrokenJsonError(
                        "its terms come before a publicationDate and products with instances"
                    )
                return service_prices(published, _on_demand(stream, keys))
            else:
                value = stream.value()
                published = value if name == "publicationDate" and isinstance(value, str) else published
    raise BrokenJsonError("it has no terms")


def _products(stream: JsonStream, service: str) -> Iterator[tuple[str, Key]]:
    for sku in stream.members():
        if key := KEYS[service](stream.value().get("attributes", {})):
            yield sku, key


def _on_demand(stream: JsonStream, keys: dict[str, Key]) -> Iterator[tuple[Key, Decimal]]:
    for kind in stream.members():
        if kind != "OnDemand":
            stream.value()
            continue
        for sku in stream.members():
            terms: dict[str, Any] = stream.value()
            if key := keys.get(sku):
                yield from ((key, usd) for usd in hourly_prices(terms))
        return  # what follows is reserved, and most of the file


def _download(url: str, path: Path, what: str, say: Say) -> None:
    """Bring a file up to date; one that was interrupted goes on where it ended."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wait_s = FIRST_WAIT_S
    for left in reversed(range(_TRIES)):
        try:
            return _try_download(url, path, what, say)
        except HTTPError as error:
            if error.code not in _PASSING:
                raise PriceListError(_refused(url, error)) from None
            said = f"HTTP {error.code} {error.reason}"
        except _InterruptedError as error:
            said = str(error)
        if left:
            say(f"{what}: {said}; trying again in {wait_s:g} s")
            time.sleep(wait_s)
            wait_s *= 2
    raise PriceListError(
        f"{url}\n  cannot be read: {said}\n  check the network and the proxy (HTTPS_PROXY), then run the command again: "
        "it goes on where it ended"
    )


class _InterruptedError(Exception):
    """The network ended before the file did."""


def _try_download(url: str, path: Path, what: str, say: Say) -> None:
    part, tag_of_part, tag = (
        path.with_suffix(".part"),
        path.with_suffix(".part-etag"),
        path.with_suffix(".etag"),
    )
    request = Request(url)
    done = part.stat().st_size if part.exists() and tag_of_part.exists() else 0
    if path.exists() and tag.exists():
        request.add_header("If-None-Match", tag.read_text("utf-8"))
        done = 0
    elif done:
        # The rest of the same file, or all of another one: https://www.rfc-editor.org/rfc/rfc9110#name-if-range
        request.add_header("Range", f"bytes={done}-")
        request.add_header("If-Range", tag_of_part.read_text("utf-8"))
    try:
        response: HTTPResponse = urlopen(request, timeout=_TIMEOUT_S)
    except HTTPError as error:
        error.close()
        if error.code == 304:
            return
        if error.code == 416:  # the part is longer than the file is now
            part.unlink()
            raise _InterruptedError("the file changed meanwhile") from None
        raise
    except (URLError, HTTPException, OSError) as error:
        raise _InterruptedError(_words(error)) from None
    with response:
        done = done if response.status == 206 else 0
        length = response.headers.get("Content-Length")
        whole = done + int(length) if length else None
        with part.open("ab" if done else "wb") as file:
            if not done:
                tag_of_part.unlink(missing_ok=True)
                if etag := response.headers.get("ETag"):
                    tag_of_part.write_text(etag, "utf-8")
            _copy(response, file, part, done, whole, lambda text: say(f"{what}: {text}"))
    part.replace(path)
    tag.unlink(missing_ok=True)
    if tag_of_part.exists():
        tag_of_part.replace(tag)


def _copy(response: HTTPResponse, file: BinaryIO, path: Path, done: int, whole: int | None, say: Say) -> None:
    said_at = time.monotonic()
    while True:
        try:
            chunk = response.read(_CHUNK)
        except (HTTPException, OSError) as error:
            raise _InterruptedError(_words(error)) from None
        if not chunk:
            break
        try:
            file.write(chunk)
            file.flush()
        except OSError as error:  # names no file by itself
            raise OSError(error.errno, error.strerror, path.as_posix()) from None
        done += len(chunk)
        if time.monotonic() - said_at >= _SAY_EVERY_S:
            said_at = time.monotonic()
            say(f"{done / _MB:,.0f} MB" + (f" of {whole / _MB:,.0f}" if whole else ""))
    if whole is not None and done < whole:
        raise _InterruptedError(f"the connection ended after {done:,} of {whole:,} bytes")


def _refused(url: str, error: HTTPError) -> str:
    # The host answers 403 for a name that it does not have.
    hint = (
        "AWS has no such file: is the region right?"
        if error.code in (403, 404)
        else "run the command again later"
    )
    return f"{url}\n  cannot be read: HTTP {error.code} {error.reason}\n  {hint}"


def _words(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__
