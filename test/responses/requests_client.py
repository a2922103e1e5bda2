"""Prints the status code or the name of the error, without retries: the default of requests."""

import sys
import requests

try:
    print(requests.get(sys.argv[1], timeout=4).status_code)
except requests.RequestException as error:
    print(type(error).__name__)
