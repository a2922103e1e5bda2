"""Prints the status code or the name of the error, with the retries of the documentation."""

import sys
import urllib3
from urllib3.util import Retry

retry = Retry(
    total=3, backoff_factor=0.01, status_forcelist=[429, 500, 502, 503, 504], raise_on_status=False
)
try:
    response = urllib3.PoolManager(retries=retry, timeout=4).request("GET", sys.argv[1])
    print(response.status)
except urllib3.exceptions.HTTPError as error:
    reason = getattr(error, "reason", None) or error
    print(type(reason).__name__)
