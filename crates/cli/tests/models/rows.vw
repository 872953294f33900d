shared |reader age:19 device=laptop
|article topic=sport words:800
|article topic=science words:600
|article topic=travel words:400

shared |reader age:58 device=phone
|article topic=food words:600
|article topic=politics words:700
|article topic=science words:1000
